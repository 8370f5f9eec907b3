export function PhysicalProductsTab() {
  return <h2 className="text-xl">Physical Products</h2>;
}
