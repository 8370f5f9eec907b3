import { Heart, Plus, ShoppingCart, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button, buttonClass, IconButton, Spinner } from '../../ui/button.tsx';
import { QuantityStepper } from '../../ui/quantity-stepper.tsx';
import { Specimen } from './specimen.tsx';

const variants = ['primary', 'secondary', 'quiet', 'danger'] as const;
const sizes = ['sm', 'md', 'lg'] as const;

export function Buttons() {
  const [quantity, setQuantity] = useState(3);
  return (
    <>
      {variants.map((variant) => (
        <Specimen key={variant} name={`Button, ${variant}`}>
          {sizes.map((size) => (
            <Button key={size} variant={variant} size={size}>
              Size {size}
            </Button>
          ))}
          <Button variant={variant}>
            <ShoppingCart aria-hidden className="size-5" />
            With an icon
          </Button>
          <Button variant={variant} loading>
            Loading
          </Button>
          <Button variant={variant} disabled>
            Disabled
          </Button>
        </Specimen>
      ))}
      <Specimen name="A link that looks like a button">
        <Link to="/" className={buttonClass('secondary')}>
          To the shop
        </Link>
      </Specimen>
      <Specimen name="IconButton">
        <IconButton label="Add to favourites">
          <Heart aria-hidden className="size-5" />
        </IconButton>
        <IconButton label="Delete" className="hover:bg-danger-soft hover:text-danger">
          <Trash2 aria-hidden className="size-5" />
        </IconButton>
        <IconButton label="Add (disabled)" disabled>
          <Plus aria-hidden className="size-5" />
        </IconButton>
      </Specimen>
      <Specimen name="QuantityStepper, at one and above">
        <QuantityStepper quantity={1} of="a first thing" onChange={() => undefined} />
        <QuantityStepper quantity={quantity} of="a second thing" onChange={setQuantity} />
      </Specimen>
      <Specimen name="Spinner">
        <Spinner className="size-5" />
        <Spinner className="size-8 text-accent" label="Loading" />
      </Specimen>
    </>
  );
}
