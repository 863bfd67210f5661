"""The output of `lane-run` for a batch of lines, in each of its formats."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from lane.cli.lines import MAX_LINE_BYTES, Answer, Batch
from lane.runtime import Derivation, Failure, Translation, Translator, derivation_text
from lane.runtime.bounds import ERROR_MARK
from lane.runtime.errors import EMPTY
from lane.runtime.translator import BUDGET

# The codes of lines that are not text; the runtime has the codes of commands.
INVALID_UTF8 = "invalid-utf8"
LINE_TOO_LONG = "line-too-long"
# Of all pictures together, which are in memory until the last one is drawn.
MAX_PICTURES = 1000
MAX_STEPS = 20_000
MAX_CHARACTERS = 4_000_000
_NOTHING = Derivation((), (), "")  # an empty line has an empty answer


class TooManyPicturesError(Exception):
    """More commands than one picture can show."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to answer."""

    format: str = "text"
    explain: str | None = None
    on_error: str = "mark"


class Answerer:
    """Translates batches and writes them in the wanted format."""

    def __init__(self, translator: Translator, options: Options) -> None:
        self.translator = translator
        self.options = options

    def submit(self, batch: Batch) -> Iterator[Answer]:
        """The output of a batch, with a message for each line that failed.

        In parts of some `BUDGET` characters: lines of a few words can have translations of megabytes.
        """
        texts, broken = _decode(batch.block)
        if self.options.explain:
            yield from self._explain(batch, texts, broken)
            return
        start = 0
        while start < len(texts):
            translations = self.translator.translate_some(texts[start:] if start else texts, BUDGET)
            if self.options.format == "text" and all(item.error is None for item in translations):
                lines = [item.text for item in translations]
                lines.append("")  # for the last newline
                answer = Answer("\n".join(lines).encode(), counts=Counter(lines=len(translations)))
                del lines
            else:
                answer = self._render(batch, start, texts, translations, broken)
            start += len(translations)
            del translations  # before the next ones are made
            yield answer
            if answer.stop:
                return

    def _render(
        self,
        batch: Batch,
        start: int,
        texts: list[str],
        translations: list[Translation],
        broken: dict[int, Failure],
    ) -> Answer:
        answer = Answer(b"")
        rendered: list[str] = []
        for place, item in enumerate(translations, start=start):
            text, failure = texts[place], broken.get(place, item.error)
            if self._is_wanted(answer, batch, place, failure):
                rendered.append(self._line(batch, place, text, item, failure))
            if answer.stop:
                break
        answer.output = "".join(rendered).encode(errors="replace")
        return answer

    def _is_wanted(self, answer: Answer, batch: Batch, place: int, failure: Failure | None) -> bool:
        """Count a line and report its failure; whether it appears in the output."""
        answer.counts["lines"] += 1
        if failure is None:
            return True
        answer.counts[failure.code] += 1
        if failure.code == EMPTY:
            return True
        answer.problems.append(f"{batch.source}:{batch.first + place}: {failure.message}")
        answer.stop = self.options.on_error == "stop"
        return self.options.on_error == "mark"

    def _line(self, batch: Batch, place: int, text: str, answer: Translation, failure: Failure | None) -> str:
        output = answer.text
        if failure is not None and failure.code == EMPTY:
            failure = None  # an empty line has an empty answer
        if self.options.format == "jsonl":
            row = {
                "file": batch.source,
                "line": batch.first + place,
                "input": text.removesuffix("\r"),
                "output": output,
                "error": asdict(failure) if failure else None,
            }
            if answer.slots:
                row["slots"] = [asdict(slot) for slot in answer.slots]
            return json.dumps(row, ensure_ascii=False) + "\n"
        if self.options.format == "tsv":
            # Words joined by single spaces, so that no tab of the input is taken for a column.
            return f"{' '.join(text.split())}\t{output}\t{failure.code if failure else ''}\n"
        return f"{ERROR_MARK}{failure.code}>\n" if failure else f"{output}\n"

    def _explain(self, batch: Batch, texts: list[str], broken: dict[int, Failure]) -> Iterator[Answer]:
        answer = Answer(b"")  # of what was not written yet
        shown: list[str] = []
        size = 0
        for place, text in enumerate(texts):
            failure = broken.get(place)
            derivation = Derivation((), (), "", failure) if failure else self.translator.explain(text)
            if self._is_wanted(answer, batch, place, derivation.error):
                is_empty = derivation.error is not None and derivation.error.code == EMPTY
                for piece in self._show(_NOTHING if is_empty else derivation):
                    shown.append(piece)
                    size += len(piece)
                    if size > BUDGET:
                        yield Answer("".join(shown).encode(errors="replace"))
                        shown, size = [], 0
            if answer.stop:
                break
        answer.output = "".join(shown).encode(errors="replace")
        yield answer

    def _show(self, derivation: Derivation) -> Iterator[str]:
        if self.options.explain == "json":
            yield from derivation_text.json_pieces(derivation)
            yield "\n"
        elif derivation is _NOTHING:
            yield "\n"
        else:
            lines = (
                derivation_text.tree_lines if self.options.explain == "tree" else derivation_text.text_lines
            )
            for line in lines(derivation):
                yield line + "\n"
            yield "\n"


class Gallery(Answerer):
    """Collects the derivations, since a picture or a page is written as a whole."""

    def __init__(self, translator: Translator, options: Options) -> None:
        super().__init__(translator, options)
        self.derivations: list[Derivation] = []
        self._steps = self._characters = 0

    def _show(self, derivation: Derivation) -> Iterator[str]:
        if derivation.words:
            self.derivations.append(replace(derivation, text=""))  # pictures show the values of the steps
            self._steps += len(derivation.steps)
            self._characters += len(" ".join(derivation.words))
        for count, most, things in (
            (len(self.derivations), MAX_PICTURES, "commands"),
            (self._steps, MAX_STEPS, "steps"),
            (self._characters, MAX_CHARACTERS, "characters of commands"),
        ):
            if count > most:
                raise TooManyPicturesError(
                    f"more than {most} {things} to draw: use --explain json for so many"
                )
        return iter(())

    def write(self) -> bytes:
        """All derivations as one file."""
        from lane.runtime import picture

        draw = picture.as_svg if self.options.explain == "svg" else picture.as_html
        return draw(self.derivations).encode(errors="replace")


def _decode(block: bytes) -> tuple[list[str], dict[int, Failure]]:
    """The lines as text, and the failures of invalid lines, whose text is empty."""
    if len(block) <= MAX_LINE_BYTES:
        try:
            return block.decode().split("\n"), {}
        except UnicodeDecodeError:
            pass
    texts: list[str] = []
    broken: dict[int, Failure] = {}
    for place, line in enumerate(block.split(b"\n")):
        texts.append("")
        if len(line) > MAX_LINE_BYTES:
            broken[place] = Failure(LINE_TOO_LONG, f"the line is longer than {MAX_LINE_BYTES} bytes")
            continue
        try:
            texts[-1] = line.decode()
        except UnicodeDecodeError as error:
            message = f"not UTF-8: byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line"
            broken[place] = Failure(INVALID_UTF8, message)
    return texts, broken
