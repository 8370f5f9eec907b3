/** An order's number as people read it: the last 8 characters, upper case. */
export function orderNumber(orderId: string): string {
  return orderId.slice(-8).toUpperCase();
}
