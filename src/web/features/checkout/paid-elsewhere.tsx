import { CircleCheck } from 'lucide-react';
import { Link } from 'react-router';
import { buttonClass } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

export const PAID_ELSEWHERE = 'You have just paid in another tab, so your card was not charged here.';

/** In the place of the form, when the other tab has bought all there was in the cart. */
export function PaidElsewhere() {
  return (
    <Notice icon={CircleCheck} tone="success" title="Already Paid">
      <p>{PAID_ELSEWHERE}</p>
      <Link to="/orders" className={buttonClass()}>
        My Orders
      </Link>
    </Notice>
  );
}
