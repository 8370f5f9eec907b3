// Replaces https://js.stripe.com/.../stripe.js with the calls that the card form needs. As in Stripe's own, the card
// field and the 3D Secure question are frames of Stripe's origins, and it confirms at api.stripe.com with the
// publishable key.

const frameAt = (url, parent) => {
  const frame = document.createElement('iframe');
  frame.src = url;
  frame.title = new URL(url).pathname;
  parent.append(frame);
  return frame;
};

/** Calls `heard` with each message of the frame, until it returns true. */
const listen = (frame, heard) =>
  addEventListener('message', function listener({ source, data }) {
    if (source === frame.contentWindow && heard(data)) removeEventListener('message', listener);
  });

function createCard() {
  const listeners = {};
  const card = { entry: {} };
  return Object.assign(card, {
    mount(parent) {
      card.frame = frameAt('https://js.stripe.com/fake/card', parent);
      listen(card.frame, (entry) => {
        card.entry = entry;
        const complete = ['number', 'expiry', 'cvc'].every((name) => entry[name]);
        listeners.change?.({ complete, error: undefined });
      });
      card.frame.addEventListener('load', () => listeners.ready?.());
    },
    on: (event, listener) => {
      listeners[event] = listener;
    },
    off: (event) => delete listeners[event],
    update: () => undefined,
    focus: () => card.frame.focus(),
    destroy: () => card.frame?.remove(),
  });
}

const askAtBank = () =>
  new Promise((resolve) => {
    const frame = frameAt(
      'https://hooks.stripe.com/fake/3d-secure',
      document.querySelector('dialog[open]') ?? document.body,
    );
    // Puts the frame in front of the page.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('iframe[src*="3d-secure"] { position: fixed; inset: 0; z-index: 1000; background: white }');
    document.adoptedStyleSheets.push(sheet);
    listen(frame, (outcome) => {
      frame.remove();
      resolve(outcome);
      return true;
    });
  });

window.Stripe = (key) => {
  const post = async (path, fields) => {
    const body = new URLSearchParams({ key, ...fields });
    const answer = await (
      await fetch(`https://api.stripe.com/v1/payment_intents/${path}`, { method: 'POST', body })
    ).json();
    return answer.error ? { error: answer.error } : { paymentIntent: answer };
  };

  async function confirmCardPayment(clientSecret, { payment_method: { card, billing_details: billing } }) {
    const id = clientSecret.split('_secret_')[0];
    const { number, expiry, cvc } = card.entry;
    const [month, year] = expiry.split('/');
    const confirmed = await post(`${id}/confirm`, {
      client_secret: clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': number,
      'payment_method_data[card][exp_month]': month.trim(),
      'payment_method_data[card][exp_year]': year.trim(),
      'payment_method_data[card][cvc]': cvc,
      'payment_method_data[billing_details][name]': billing.name,
      'payment_method_data[billing_details][email]': billing.email,
    });
    if (confirmed.paymentIntent?.status !== 'requires_action') return confirmed;
    const answered = await post(`${id}/challenge`, { client_secret: clientSecret, outcome: await askAtBank() });
    const failure = answered.paymentIntent?.last_payment_error;
    return failure ? { error: { ...failure, payment_intent: answered.paymentIntent } } : answered;
  }

  const elements = () => {
    let card = null;
    return {
      create: () => {
        card = createCard();
        return card;
      },
      getElement: () => card,
      update: () => undefined,
    };
  };
  const unused = () => Promise.reject(new Error('The shop does not use this'));
  return {
    elements,
    confirmCardPayment,
    createToken: unused,
    createPaymentMethod: unused,
    _registerWrapper: () => undefined,
    registerAppInfo: () => undefined,
  };
};
window.Stripe.version = 'endive';
