// Everything a page without React runs: enhancements of what works without it.
import './consent-banner.ts';
import { showCopyButtons } from './copy-code.ts';
import { showToast } from './plain-toast.ts';
import { reportTimeZone } from './time-zone.ts';

reportTimeZone();
showCopyButtons();
const toast = document.querySelector<HTMLTemplateElement>('template.toast-to-show');
if (toast) showToast(toast);
// In a form with errors, the first invalid field takes the focus.
document.querySelector<HTMLElement>(':is(input, select, textarea)[aria-invalid="true"]')?.focus();
