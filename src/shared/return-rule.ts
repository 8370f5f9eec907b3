/** Said wherever a step leads to the items: the shop's own rule, which content/refunds.md explains. */
export const OPENING_ENDS_RETURN = 'Opening the items ends the right of return.';
