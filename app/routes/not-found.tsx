import { data } from 'react-router';
import type { PageHandle } from '#app/components/shell/page-handle.ts';

export const handle: PageHandle = { plain: true };

export function loader(): never {
  throw data(null, { status: 404 });
}

export function action(): never {
  throw data(null, { status: 404 });
}

// The root's error page is what people see; the component makes this a page and not a resource route.
export default function NotFound() {
  return null;
}
