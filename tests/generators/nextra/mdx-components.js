import { useMDXComponents as ownComponents } from "nextra/mdx-components";

export const useMDXComponents = (components) => ownComponents({ ...components });
