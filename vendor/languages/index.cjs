/** English names of languages, which steam-tradeoffer-manager asks for when it is created with the option `language`. */
const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The English name of a language by its ISO 639 code; without a name if there is none. */
exports.getLanguageInfo = (code) => ({ name: names.of(code) });
