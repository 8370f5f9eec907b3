import decodeQR from 'qr/decode.js';
import sharp from 'sharp';

/** Returns the text of a picture of a QR code. Throws if the picture has no readable one. */
export async function readQrCode(picture: Buffer): Promise<string> {
  const drawn = sharp(picture).resize(400).flatten({ background: 'white' }).ensureAlpha().raw();
  const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
  return decodeQR({ data, width: info.width, height: info.height });
}
