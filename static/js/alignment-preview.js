// The preview of the alignment editor: the phrases as annotators will see them, rendered by the server.

const DELAY = 120; // milliseconds after the last change

export class Preview {
  /**
   * @param {object} options
   * @param {HTMLFormElement} options.form
   * @param {HTMLElement} options.panel
   * @param {string} options.url
   * @param {() => void} options.onLoad
   * @param {() => void} options.onError
   */
  constructor({ form, panel, url, onLoad, onError }) {
    this.form = form;
    this.panel = panel;
    this.url = url;
    this.onLoad = onLoad;
    this.onError = onError;
    /** @type {AbortController | null} */
    this.request = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timeout = undefined;
  }

  /** Loads it soon; several changes at once are one request. */
  schedule() {
    this.panel.setAttribute("aria-busy", "true");
    clearTimeout(this.timeout);
    this.timeout = setTimeout(() => this.#load(), DELAY);
  }

  cancel() {
    clearTimeout(this.timeout);
    this.request?.abort();
  }

  async #load() {
    this.request?.abort();
    this.request = new AbortController();
    try {
      const response = await fetch(this.url, {
        method: "POST", body: new FormData(this.form), credentials: "same-origin", redirect: "error",
        signal: this.request.signal,
      });
      if (!response.ok) throw new Error(String(response.status));
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      this.panel.replaceChildren(...page.body.childNodes);
      this.panel.removeAttribute("aria-busy");
      this.onLoad();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      this.panel.removeAttribute("aria-busy");
      this.onError();
    }
  }
}
