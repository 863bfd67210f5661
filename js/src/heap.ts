/** A binary heap of numbers, the smallest first. */
export class Heap {
  private readonly items: number[] = [];

  get size(): number {
    return this.items.length;
  }

  push(value: number): void {
    const { items } = this;
    let place = items.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (items[parent]! <= value) break;
      items[place] = items[parent]!;
      place = parent;
    }
    items[place] = value;
  }

  /** The smallest number, which is removed; NaN if there is none. */
  pop(): number {
    const { items } = this;
    const first = items[0] ?? Number.NaN;
    const last = items.pop();
    if (!items.length || last === undefined) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (items[child]! >= last) break;
      items[place] = items[child]!;
      place = child;
    }
    items[place] = last;
    return first;
  }
}
