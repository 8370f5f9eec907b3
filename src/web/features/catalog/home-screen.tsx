export function HomeScreen() {
  return <h1>Kedai</h1>;
}
