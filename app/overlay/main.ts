// The script of overlays and docks, and of the worker that they share: one file, so that a browser loads one.
import { startDock } from './dock.ts';
import { startOverlay } from './overlay.ts';
import { serve } from './worker.ts';

if (typeof document === 'undefined') {
  serve(self as unknown as Parameters<typeof serve>[0], '/overlay/events');
} else {
  const { src } = document.currentScript as HTMLScriptElement;
  const root = document.getElementById('overlay');
  if (root) startOverlay(root, src);
  else if (document.getElementById('dock')) startDock(src);
}
