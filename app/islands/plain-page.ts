// All that a page without React runs. It adds to what works without it.
import './consent-banner.ts';
import { showToast } from './plain-toast.ts';
import { reportTimeZone } from './time-zone.ts';

reportTimeZone('');
const toast = document.querySelector<HTMLTemplateElement>('template.toast-to-show');
if (toast) showToast(toast);
// A form that came back with errors is gone on with where the first one is.
document.querySelector<HTMLElement>(':is(input, select, textarea)[aria-invalid="true"]')?.focus();
