import { writeFileSync } from 'node:fs';
import { shapesDocument } from './documents/shapes-document.ts';

for (const [path, text] of Object.entries(shapesDocument())) writeFileSync(path, text);
