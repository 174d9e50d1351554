export function weave() {
  // #region shed
  const shed = open();
  return shed;
  // #endregion shed
}
