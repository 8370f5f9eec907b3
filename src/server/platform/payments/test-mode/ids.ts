import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

/** An id in Stripe's manner, as in `pi_01...`; ids of one kind grow with time, which keeps indexes compact. */
export const newId = (kind: string) => `${kind}_${v7().replaceAll('-', '')}`;

/** 122 random bits as 32 hexadecimal digits. */
export const randomHex = () => randomUUID().replaceAll('-', '');
