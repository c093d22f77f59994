/** How wide and high a letter is, in dots. */
export const letter = { width: 5, height: 8 };

/** The printable characters of ASCII from the space on: a digit of base 32 a row, whose bits are the dots. */
const rows =
  // space ! " # $ % & ' ( ) * + , - . /
  '00000000 44444040 aa000000 aavavaa0 4fke5u40 op248j30 cik8lid0 44000000 ' +
  '24888420 84222480 04lel400 044v4400 00000c48 000v0000 00000cc0 01248g00 ' +
  // 0 to 9
  'ehjlphe0 4c4444e0 eh1248v0 v2421he0 26aiv220 vgu11he0 68guhhe0 v1248880 ehhehhe0 ehhf12c0 ' +
  // : ; < = > ? @
  '0cc0cc00 0cc0c480 248g8420 00v0v000 84212480 eh124040 eh1dlle0 ' +
  // A to Z
  'ehhvhhh0 uhhuhhu0 ehggghe0 uhhhhhu0 vgguggv0 vgguggg0 ehgnhhf0 hhhvhhh0 e44444e0 72222ic0 ' +
  'hikokih0 ggggggv0 hrllhhh0 hpljhhh0 ehhhhhe0 uhhuggg0 ehhhlid0 uhhukih0 fgge11u0 v4444440 ' +
  'hhhhhhe0 hhhhha40 hhhllrh0 hha4ahh0 hha44440 v1248gv0 ' +
  // [ \ ] ^ _ `
  'e88888e0 0g842100 e22222e0 4ah00000 0000000v 84200000 ' +
  // a to z
  '00e1fhf0 gguhhhu0 00egghe0 11fhhhf0 00ehvge0 698s8880 00fhhf1e gguhhhh0 40c444e0 206222ic ' +
  'ggikoki0 c44444e0 00qllll0 00uhhhh0 00ehhhe0 00uhhugg 00fhhf11 00mpggg0 00fge1u0 88s88960 ' +
  '00hhhhf0 00hhha40 00hhlla0 00ha4ah0 00hhhf1e 00v248v0 ' +
  // { | } ~
  '64484460 44444440 c44244c0 008l2000';

const glyphs = rows.split(' ').map(glyph => Array.from(glyph, row => Number.parseInt(row, 32)));
/** What stands for a character that the font does not have. */
const box = Array.from('vhhhhhv0', row => Number.parseInt(row, 32));
const first = ' '.charCodeAt(0);

/** The rows of a character's dots, the highest of five bits on the left. */
export function glyphOf(character: string): readonly number[] {
  return glyphs[character.charCodeAt(0) - first] ?? box;
}

const plain: Record<string, string> = { '“': '"', '”': '"', '‘': "'", '’': "'", '–': '-', '—': '-' };

/** A text in characters of the font, as far as they can be had: without accents, and with plain quotes. */
export function inFont(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[“”‘’–—]/g, mark => plain[mark] ?? mark)
    .replace(/[^\x20-\x7e\s]/gu, '\x7f');
}
