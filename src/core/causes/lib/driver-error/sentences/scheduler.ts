/** The scheduler finds no room; `src/core/facts/pod/scheduling-message.ts` reads the rest. */
export const noRoomTexts = /Insufficient|Too many pods/i;
