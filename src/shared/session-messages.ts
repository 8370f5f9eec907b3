/** Messages for visitors whose session is missing or not valid, of server and browser alike. */
export const NO_SESSION = 'Please login to continue.';
export const INVALID_SESSION = 'Invalid session. Please login again.';
export const SESSION_EXPIRED = 'Session expired. Please login again.';

/** The `typ` in the header of a session's token. */
export const SESSION_TOKEN_TYPE = 'session+jwt';
