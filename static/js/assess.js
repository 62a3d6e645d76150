// Scores and errors of translations.
import { AssessmentPage } from "./assess-page.js";
import { get } from "./dom.js";

new AssessmentPage(JSON.parse(get("#assess-data").textContent ?? "")).start();
