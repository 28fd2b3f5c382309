import { redirect } from 'react-router';

/** Redirects the area's own address to its first page. */
export const loader = () => redirect('/auth/signin');
