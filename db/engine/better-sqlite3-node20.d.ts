declare module 'better-sqlite3-node20' {
  export { default } from 'better-sqlite3';
}
