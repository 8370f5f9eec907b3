export function OverviewTab() {
  return <h2 className="text-xl">Dashboard Overview</h2>;
}
