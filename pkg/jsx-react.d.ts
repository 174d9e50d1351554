// React 19 keeps its JSX types in its own module: `import "pocketgraph/jsx-react"` once, anywhere in the project, lets it know the element.
import type { PocketGraphAskAttributes } from "./ask-element.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "pocketgraph-ask": PocketGraphAskAttributes;
    }
  }
}
