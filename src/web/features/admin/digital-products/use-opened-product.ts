import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { ADMIN } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';

const dialogs = ['edit', 'stock'] as const;

/** The product whose dialog the address names, as it stands now; one that is not there is said to be so. */
export function useOpenedProduct() {
  const { get, set } = useDashboardUrl();
  const { show } = useToasts();
  const dialog = dialogs.find((name) => name === get('dialog'));
  const id = dialog ? get('product') : '';
  // Kept no longer than it is open: what is edited has to be the newest there is.
  const { data, error, isLoadingError } = useQuery({
    queryKey: [ADMIN, 'product', id],
    queryFn: async () => (await call('GET /admin/digital-products/:id', { params: { id } })).data,
    enabled: id !== '',
    gcTime: 0,
  });

  useEffect(() => {
    if (!isLoadingError) return;
    show({ type: 'error', message: messageOf(error, 'Product not found') });
    set({ dialog: '', product: '' });
  }, [isLoadingError, error, show, set]);

  return {
    edited: dialog === 'edit' ? data : undefined,
    stocked: dialog === 'stock' ? data : undefined,
    open: (name: (typeof dialogs)[number], product: string) => set({ dialog: name, product }),
    close: () => set({ dialog: '', product: '' }),
  };
}
