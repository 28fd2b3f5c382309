interface ImportMetaEnv {
  /** The addresses of the locales' files in the build. */
  readonly TEXTS_FOLDER: string;
}
