import { v5 as uuidv5 } from 'uuid';

const NAMESPACE = uuidv5('https://kedai.test/demo', uuidv5.URL);

/** The id of a thing of the demo, made from its name, so that every machine's demo shop has the same ones. */
export const demoId = (
  kind: 'user' | 'product' | 'item' | 'order' | 'order-line' | 'refund',
  name: string,
): string => uuidv5(`${kind}/${name}`, NAMESPACE);
