import { UserX } from 'lucide-react';
import { useParams } from 'react-router';
import { call } from '../../../lib/api-client.ts';
import { AdminPage } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { useListAddress } from '../dashboard-url.ts';
import { Opened } from '../opened.tsx';
import { UserDetails } from './user-details.tsx';

export function AdminUserScreen() {
  const { id = '' } = useParams();
  const list = useListAddress('users');
  return (
    <AdminPage title="User" back={list}>
      <AdminUser key={id} id={id} list={list} />
    </AdminPage>
  );
}

function AdminUser({ id, list }: { id: string; list: string }) {
  const user = useAdminData(
    ['user', id],
    async () => (await call('GET /admin/users/:id', { params: { id } })).data,
  );
  return (
    <Opened what="user" icon={UserX} read={user} list={list}>
      {(data) => <UserDetails user={data} />}
    </Opened>
  );
}
