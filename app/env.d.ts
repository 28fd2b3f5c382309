interface ImportMetaEnv {
  /** The addresses of the locales' files in the build. */
  readonly TEXTS_FOLDER: string;
  /** The addresses of the files of overlays in the build; missing without one. */
  readonly OVERLAY_SCRIPT?: string;
  readonly OVERLAY_STYLES?: string;
  readonly DOCK_STYLES?: string;
}
