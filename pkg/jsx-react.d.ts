// React 19 has its JSX types in its own module. `import "pocketgraph/jsx-react"` once, anywhere, adds the element to them.
import type { PocketGraphAskAttributes } from "./ask-element.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "pocketgraph-ask": PocketGraphAskAttributes;
    }
  }
}
