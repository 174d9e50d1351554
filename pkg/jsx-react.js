// Types alone: see jsx-react.d.ts.
export {};
