// The page's service worker: it lies beside the page, because a service worker sees only what lies in its own
// folder and below.
importScripts("./pkg/offline-worker.js");
