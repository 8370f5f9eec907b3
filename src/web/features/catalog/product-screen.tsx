export function ProductScreen() {
  return <h1>Kedai</h1>;
}
