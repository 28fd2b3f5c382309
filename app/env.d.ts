interface ImportMetaEnv {
  /** Where the build has put the texts of the pages. */
  readonly TEXTS_FOLDER: string;
}
