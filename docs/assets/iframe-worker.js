// A page that was opened from a folder may not start workers. The search is one: it runs in a frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.waiting = []
      this.inside.postMessage = data => this.answer(data)
      this.inside.importScripts = (...names) => Promise.all(names.map(name => this.load(new URL(name, address).href)))
      this.load(address).then(() => {
        const waiting = this.waiting
        this.waiting = null
        waiting.forEach(data => this.postMessage(data))
      })
    }
    load(address) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script")
        script.src = address
        script.onload = done
        script.onerror = failed
        this.inside.document.head.append(script)
      })
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
    }
    answer(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      if (this.onmessage) this.onmessage(event)
    }
    terminate() {}
  }
}
