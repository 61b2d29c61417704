/** Puts a text into the clipboard. */
export async function toClipboard(text: string) {
  const { copyText } = await import("../parts/copy");
  await copyText(text);
}
