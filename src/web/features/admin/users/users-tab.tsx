export function UsersTab() {
  return <h2 className="text-xl">User Management</h2>;
}
