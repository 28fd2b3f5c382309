import { Link } from './link.tsx';

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false" fill="currentColor">
      <path d="M5 4h6v24H5zM13.500 16 21 4h7l-7.500 12zM20.500 16 28 28h-7l-7.500-12z" />
    </svg>
  );
}

export function Brand() {
  return (
    <Link className="brand" to="/">
      <Mark />
      <span>Keepsake</span>
    </Link>
  );
}
