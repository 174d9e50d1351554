from os import PathLike
from typing import Any, Sequence, Union

__version__: str

class Chunker:
    def __init__(
        self,
        max_tokens: int = 200,
        *,
        base_url: str = "",
        url_style: str = "auto",
        generator: str = "none",
        embedder: str = "minilm",
        embedder_file: Union[str, PathLike[str], None] = None,
    ) -> None: ...
    def chunks(self, documents: Sequence[tuple[str, Union[bytes, str]]]) -> list[dict[str, Any]]: ...

class Embedder:
    def __init__(self, name: str = "minilm", *, file: Union[str, PathLike[str], None] = None) -> None: ...
    @property
    def id(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    def bytes(self, texts: Sequence[str]) -> bytearray: ...
    def count(self, text: str) -> int: ...
