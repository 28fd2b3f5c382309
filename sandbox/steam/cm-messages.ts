import EMsg from 'steam-user/enums/EMsg.js';
import schema, { type MessageType } from 'steam-user/protobufs/generated/_load.js';

const protobufFlag = 0x8000_0000;

export type Header = {
  steamid?: string;
  client_sessionid?: number;
  target_job_name?: string;
  jobid_source?: string;
  jobid_target?: string;
  eresult?: number;
};
export type Message = { type: number; header: Header; body: Buffer };

/** Finds a message type of Steam's protocol; if it is missing, the installed package has changed. */
function messageType(name: string): MessageType {
  const found = schema[name];
  if (found === undefined) throw new Error(`steam-user no longer knows the message ${name}.`);
  return found;
}

export function messageNumber(name: string): number {
  const found = EMsg[name];
  if (found === undefined) throw new Error(`steam-user no longer knows the message number ${name}.`);
  return found;
}

export function encodeBody(name: string, plain: object): Uint8Array {
  const type = messageType(name);
  return type.encode(type.fromObject(plain)).finish();
}

export function decodeBody(name: string, bytes: Uint8Array): Record<string, unknown> {
  const type = messageType(name);
  return type.toObject(type.decode(bytes), { longs: String, defaults: false });
}

/** A frame consists of the message's number, the header's length, the header and the body. */
export function encodeMessage(type: number, header: Header, body: Uint8Array): Buffer {
  const encoded = encodeBody('CMsgProtoBufHeader', header);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE((type | protobufFlag) >>> 0, 0);
  prefix.writeUInt32LE(encoded.length, 4);
  return Buffer.concat([prefix, encoded, body]);
}

export function decodeMessage(frame: Buffer): Message {
  const headerEnd = 8 + frame.readUInt32LE(4);
  return {
    type: frame.readUInt32LE(0) & ~protobufFlag,
    header: decodeBody('CMsgProtoBufHeader', frame.subarray(8, headerEnd)),
    body: frame.subarray(headerEnd),
  };
}
