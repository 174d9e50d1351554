// The setting for use without a network: nothing is kept unless the reader asks for it, and what is kept can
// be seen and removed here.

import { bytes } from "./numbers.js";
import { PocketGraph } from "./pkg/pocketgraph.js";
import { h } from "./pkg/render.js";

const CHOICES = [
  ["", "nothing"],
  ["visited", "what is read here"],
  ["all", "everything, fetched now"],
];

/** A fieldset for the settings. */
export class OfflinePanel {
  #bundle;
  #copy = null;
  #loading = null;
  #choice = h(
    "select",
    { id: "offline", "aria-describedby": "offline-state" },
    CHOICES.map(([value, label]) => h("option", { value }, label)),
  );
  #state = h("p", { class: "form-hint", id: "offline-state", role: "status" });
  #meter = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Fetching the documents" });

  /** `bundle()` is the bundle's folder. */
  constructor(bundle) {
    this.#bundle = bundle;
    this.#choice.addEventListener("change", () => this.#choose(this.#choice.value));
    this.node = h(
      "fieldset",
      {},
      h("legend", {}, "Without a network"),
      h(
        "div",
        { class: "form-field" },
        h("label", { for: "offline" }, "Keep in this browser"),
        this.#choice,
        this.#state,
        this.#meter,
      ),
    );
    this.#find();
  }

  /** Says how much is kept now. */
  async refresh() {
    if (!this.#copy || this.#loading) return;
    try {
      this.#report(await this.#copy.status());
    } catch (error) {
      this.#say(error.message);
    }
  }

  async #find() {
    if (!navigator.serviceWorker) {
      this.#choice.disabled = true;
      this.#say("This browser, or an address that is not https, cannot keep a page.");
      return;
    }
    if (!navigator.serviceWorker.controller) return;
    const { existingOffline } = await import("./pkg/offline.js");
    const copy = await existingOffline().catch(() => null);
    if (copy) await this.#use(copy);
  }

  async #choose(keep) {
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      if (keep === "") await this.#forget();
      else {
        this.#say("Starting…");
        await this.#use(await PocketGraph.offline({ bundle: this.#bundle(), keep: "visited", signal }));
        if (keep === "all") await this.#fetchAll(signal);
      }
      if (!signal.aborted) this.#loading = null;
      await this.refresh();
    } catch (error) {
      if (signal.aborted) return;
      this.#loading = null;
      this.#meter.hidden = true;
      this.#say(error.message);
      if (!this.#copy) this.#choice.value = "";
    }
  }

  async #fetchAll(signal) {
    const onProgress = ({ loaded, total }) => {
      this.#meter.hidden = false;
      this.#meter.value = total > 0 ? loaded / total : 0;
      this.#say(`${bytes(loaded)} of ${bytes(total)}`);
    };
    await this.#copy.fetchAll({ signal, onProgress });
    this.#meter.hidden = true;
    // Only what could be kept whole is kept up to date as a whole.
    await this.#use(await PocketGraph.offline({ bundle: this.#bundle(), keep: "all", signal }));
  }

  async #use(copy) {
    this.#copy = copy;
    copy.addEventListener("storage-full", () =>
      this.#say("The browser's storage for this page is full. Search goes on over the network."),
    );
    copy.addEventListener("problem", ({ detail }) => this.#say(detail.message));
    if (!this.#loading) await this.refresh();
  }

  async #forget() {
    this.#meter.hidden = true;
    await this.#copy?.remove();
    this.#copy = null;
    this.#say("");
  }

  #report({ keep, bytes: kept, bundles, full }) {
    this.#choice.value = keep;
    const whole = bundles.length > 0 && bundles.every(({ complete }) => complete);
    const part = bundles.reduce((sum, bundle) => sum + (bundle.totalBytes ?? 0), 0);
    const extent = whole
      ? "The whole of these documents is kept"
      : part > 0
        ? `A part of ${bytes(part)} is kept`
        : "What was read is kept";
    this.#say(
      `${extent}: ${bytes(kept)} with the ` +
        `page.${full ? " The browser's storage for this page is full." : ""} “Nothing” removes it.`,
    );
  }

  #say(text) {
    this.#state.textContent = text;
  }
}
