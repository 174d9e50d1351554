// A classic service worker script, for `importScripts`: it exports nothing.
export {};
