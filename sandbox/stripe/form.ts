/** Decoded form fields: `a[b]=1` is `{ a: { b: '1' } }`, and lists are objects with numbers as keys. */
export type FormValue = string | FormObject;
export interface FormObject {
  [key: string]: FormValue;
}

function pathOf(name: string): string[] {
  const [first = '', ...rest] = name.split('[');
  return [first, ...rest.map((part) => part.replace(/\]$/, ''))];
}

/** Reads Stripe's bracket notation, https://docs.stripe.com/api: `items[0][price]=…`, `expand[]=…`. */
export function parseForm(text: string): FormObject {
  const form: FormObject = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const path = pathOf(name);
    let place = form;
    path.slice(0, -1).forEach((part, depth) => {
      const key = part === '' ? String(Object.keys(place).length) : part;
      const inner = place[key];
      if (typeof inner === 'object') {
        place = inner;
        return;
      }
      const made: FormObject = Object.create(null);
      place[key] = made;
      place = made;
      if (depth > 8) throw new RangeError('The form is nested too deeply.');
    });
    const last = path.at(-1) ?? '';
    place[last === '' ? String(Object.keys(place).length) : last] = value;
  }
  return form;
}
