import { useToasts } from '../../state/toasts.tsx';
import { Badge, StatusBadge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Toast } from '../../ui/toast.tsx';
import { Specimen } from './specimen.tsx';

const tones: Tone[] = ['neutral', 'accent', 'sale', 'success', 'warning', 'danger', 'info'];
const statuses = [
  'Processing',
  'Shipped',
  'Delivered',
  'Cancelled',
  'Pending',
  'Completed',
  'Active',
  'Inactive',
  'Unheard of',
];
const types = ['success', 'error', 'warning', 'info'] as const;
const product = {
  name: 'Neon Apex Rally',
  image: '/demo/covers/neon-apex-rally.svg',
  category: 'Game Keys',
};

export function Messages() {
  const { show } = useToasts();
  return (
    <>
      <Specimen name="Badge">
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </Specimen>
      <Specimen name="StatusBadge">
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </Specimen>
      <Specimen name="Toast">
        <ul className="grid w-full gap-2 sm:grid-cols-2">
          {types.map((type) => (
            <Toast key={type} type={type} message={`This is a toast of ${type}`} onClose={() => undefined} />
          ))}
          <Toast type="success" message="Added to cart" product={product} onClose={() => undefined} />
          <Toast
            type="error"
            message="Only 3 items available"
            product={{
              name: 'A name so long that it does not fit into one line of a toast',
              image: product.image,
              category: product.category,
            }}
            onClose={() => undefined}
          />
        </ul>
      </Specimen>
      <Specimen name="Toasts as they come">
        {types.map((type) => (
          <Button
            key={type}
            variant="secondary"
            onClick={() => show({ type, message: `A toast of ${type}` })}
          >
            Show {type}
          </Button>
        ))}
        <Button
          variant="secondary"
          onClick={() => show({ type: 'info', message: 'Stays until closed', duration: 0, product })}
        >
          Show one that stays
        </Button>
      </Specimen>
    </>
  );
}
