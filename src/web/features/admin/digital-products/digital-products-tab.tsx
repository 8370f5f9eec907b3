export function DigitalProductsTab() {
  return <h2 className="text-xl">Digital Products</h2>;
}
