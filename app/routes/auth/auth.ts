import { redirect } from 'react-router';

/** The area's own address leads to its first page. */
export const loader = () => redirect('/auth/signin');
