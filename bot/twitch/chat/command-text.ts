/**
 * Characters that a person does not see: Chatterino appends U+034F to a repeated line, other programs
 * U+E0000.
 */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** Twitch starts a reply with the name of the person replied to. */
const addressee = /^\s*@\S+\s+/;

/** The beginning and end, in events, of a line written with `/me` (navarr/multi-stream-chat issue 22). */
const action = /^\p{Cc}ACTION (.*)\p{Cc}$/su;

/** Returns the text of a chat message from its command on; null if it is no command, as most are not. */
export function commandText(text: string, { isReply }: { isReply: boolean }): string | null {
  if (!text.includes('!')) return null;
  const visible = text.replace(action, '$1').replace(invisible, '');
  const typed = (isReply ? visible.replace(addressee, '') : visible).trim();
  return typed.startsWith('!') ? typed : null;
}
