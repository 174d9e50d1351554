// React 19 has its JSX types in its own module. `import "pocketgraph/jsx-react"` once, anywhere, adds the elements to them.
import type { PocketGraphAskAttributes } from "./ask-element.js";
import type { PocketGraphPartElements } from "./ask-parts.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends PocketGraphPartElements {
      "pocketgraph-ask": PocketGraphAskAttributes;
    }
  }
}
