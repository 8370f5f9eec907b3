/** Where the shop stands: a day of its statistics, filters, reports and mails begins at midnight there. */
export const SHOP_TIME_ZONE = 'Asia/Kuala_Lumpur';
