//! The desk through the workbench: what it asks for, and what keys do.
