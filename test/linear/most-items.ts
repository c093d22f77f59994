/** The most items of a list, and of a stream that is compared with others. */
export const most = 9_900;
