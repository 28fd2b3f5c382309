// Parts of steam-user outside its public interface: the messages of Steam's protocol.

declare module 'steam-user/protobufs/generated/_load.js' {
  export interface MessageType {
    encode(message: object): { finish(): Uint8Array };
    decode(bytes: Uint8Array): object;
    fromObject(plain: object): object;
    toObject(
      message: object,
      options: { longs: StringConstructor; defaults: boolean },
    ): Record<string, unknown>;
  }
  const schema: Record<string, MessageType | undefined>;
  export default schema;
}

declare module 'steam-user/enums/EMsg.js' {
  const EMsg: Record<string, number | undefined>;
  export default EMsg;
}
