export function OrdersTab() {
  return <h2 className="text-xl">All Orders</h2>;
}
